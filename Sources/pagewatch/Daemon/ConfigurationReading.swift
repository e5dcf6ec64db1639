import CLinux
import Configuration
import Glibc
import Reactor

/// Reads the configuration on a thread of its own, which ends with that: 100,000 targets take a
/// second, for which no load may wait.
final class ConfigurationReading: Sendable {
    private let mainFile: String
    private let lastGood: Configuration
    private let before: ReadFiles
    private let mailbox: Mailbox<ConfigurationFiles.Loaded>

    /// - Parameters:
    ///   - lastGood: What is in force.
    ///   - before: From the reading that led to it.
    ///   - mailbox: Where what the files came to is posted, once.
    init(
        _ mainFile: String, lastGood: Configuration, before: ReadFiles,
        to mailbox: Mailbox<ConfigurationFiles.Loaded>
    ) {
        self.mainFile = mainFile
        self.lastGood = lastGood
        self.before = before
        self.mailbox = mailbox
    }

    /// Begins to read.
    ///
    /// - Throws: ``SystemError`` if there can be no thread.
    static func start(_ reading: ConfigurationReading) throws(SystemError) {
        let context = Unmanaged.passRetained(reading).toOpaque()
        var handle = pthread_t()
        // The +1 on the object goes over to the new thread, which is the only one to take it.
        let code = pthread_create(
            &handle, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<ConfigurationReading>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context)
        guard code == 0 else {
            Unmanaged<ConfigurationReading>.fromOpaque(context).release()
            throw SystemError(code: code, action: "start reading the configuration")
        }
        pthread_detach(handle)
    }

    private func run() {
        // Signals belong to the loop's thread.
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
        mailbox.post(ConfigurationFiles.load(main: mainFile, lastGood: lastGood, before: before))
    }
}
