import CLinux
import CTestLinux
import Glibc
import Reactor

/// Reads what a program writes until it has ended, and gives it its input.
struct OutputCollector {
    private let ends: StreamEnds
    private var input: ArraySlice<UInt8>
    private let feed: AsyncStream<OutputLine>.Continuation
    private let limit: Duration
    private let sampled: pid_t?
    private var isInputOpen: Bool
    /// The streams that can still bring something: output, errors, terminal.
    private var isOpen = [true, true, true]
    private(set) var output: [UInt8] = []
    private(set) var errors: [UInt8] = []
    private(set) var onTerminal: [UInt8] = []
    /// 0 if the program ended before it could be looked at.
    private(set) var peakResidentBytes = 0
    /// Whether what is found is the program's own.
    let countsMemory: Bool
    /// Whether the program's memory is looked at.
    var isSampled: Bool { sampled != nil }
    private var lineStart = 0
    private var searched = 0

    /// Watches the memory of the process `sampled`, if one is named.
    init(
        ends: StreamEnds, input: [UInt8], feed: AsyncStream<OutputLine>.Continuation,
        limit: Duration, sampled: pid_t?, countsMemory: Bool
    ) {
        self.ends = ends
        self.input = input[...]
        self.feed = feed
        self.limit = limit
        self.sampled = sampled
        self.countsMemory = countsMemory
        isInputOpen = ends.input >= 0
    }

    /// Returns when the program has ended and all that it wrote is read.
    mutating func run(whenTooLong stop: () -> Void) {
        // A program that ends without reading its input is no reason for this process to end.
        var broken = sigset_t()
        sigemptyset(&broken)
        sigaddset(&broken, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &broken, nil)
        var isStopped = false
        while true {
            if isInputOpen && input.isEmpty { closeInput() }
            var polls = [ends.output, ends.errors, ends.terminal].enumerated().map { place, end in
                pollfd(fd: isOpen[place] ? end : -1, events: Int16(POLLIN), revents: 0)
            }
            polls.append(pollfd(fd: ends.exit, events: Int16(POLLIN), revents: 0))
            polls.append(
                pollfd(fd: isInputOpen ? ends.input : -1, events: Int16(POLLOUT), revents: 0))
            _ = poll(&polls, nfds_t(polls.count), timeout(isStopped))
            if let sampled { sample(sampled) }
            if polls[0].revents != 0 { isOpen[0] = Self.take(ends.output, into: &output) }
            if polls[1].revents != 0 { isOpen[1] = Self.take(ends.errors, into: &errors) }
            if polls[2].revents != 0 { isOpen[2] = Self.take(ends.terminal, into: &onTerminal) }
            if polls[4].revents != 0 { giveInput() }
            feedLines()
            // A grandchild may hold the streams for longer: what is there by now counts.
            let isQuiet = polls[..<3].allSatisfy { $0.revents == 0 }
            if polls[3].revents != 0 && (isQuiet || isStopped) { break }
            if !isStopped && MonotonicClock.now() >= limit {
                stop()
                isStopped = true
            }
        }
        if lineStart < output.count { feedLine(upTo: output.count) }
        feed.finish()
    }

    /// Closes our ends.
    mutating func close() {
        if isInputOpen { closeInput() }
        for end in [ends.output, ends.errors, ends.terminal, ends.exit] where end >= 0 {
            _ = Glibc.close(end)
        }
    }

    private func timeout(_ isStopped: Bool) -> CInt {
        if isStopped { return -1 }
        let left = max(.zero, limit - MonotonicClock.now()).millisecondsRoundedUp
        return CInt(clamping: sampled == nil ? left : min(left, 5))
    }

    /// False at the stream's end.
    private static func take(_ end: CInt, into bytes: inout [UInt8]) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { buffer in
            let count = read(end, buffer.baseAddress, buffer.count)
            if count > 0 { bytes += buffer[..<count] }
            // A terminal whose other side is closed answers EIO.
            return count > 0 || (count == -1 && errno == EINTR)
        }
    }

    private mutating func giveInput() {
        let count = input.withUnsafeBytes { write(ends.input, $0.baseAddress, min($0.count, 4096)) }
        if count > 0 {
            input = input.dropFirst(count)
        } else if errno != EINTR && errno != EAGAIN {
            closeInput()
        }
    }

    private mutating func closeInput() {
        isInputOpen = false
        _ = Glibc.close(ends.input)
    }

    private mutating func feedLines() {
        while searched < output.count {
            if output[searched] == UInt8(ascii: "\n") {
                feedLine(upTo: searched)
                lineStart = searched + 1
            }
            searched += 1
        }
    }

    private func feedLine(upTo end: Int) {
        let text = String(decoding: output[lineStart..<end], as: UTF8.self)
        feed.yield(OutputLine(text: text, time: MonotonicClock.now()))
    }

    private mutating func sample(_ process: pid_t) {
        guard let text = try? TextFile.read("/proc/\(process)/status"),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let size = line.split(separator: "\t").last?.split(separator: " ").first,
            let kibibytes = Int(size)
        else { return }
        peakResidentBytes = max(peakResidentBytes, kibibytes * 1024)
    }
}
