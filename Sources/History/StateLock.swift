import Glibc
import Reactor

/// The right to write in a state folder, held while the value lives; one process has it.
///
/// The lock is the kernel's (flock), so it ends with its holder however that ends; the holder's
/// number in the file is only for telling.
package struct StateLock: ~Copyable {
    private let descriptor: FileDescriptor

    /// - Throws: ``StoreError/held(path:by:)`` if another process has it.
    package init(folder: StateFolder) throws(StoreError) {
        let path = folder.lock
        let raw = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
        guard raw >= 0 else {
            throw .system(errno, path)
        }
        let descriptor = FileDescriptor(owning: raw)
        guard flock(raw, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            guard code == EWOULDBLOCK else {
                throw .system(code, path)
            }
            throw .held(path: folder.path, by: Self.holder(raw))
        }
        folder.adopt(raw)
        let text = Array("\(getpid())\n".utf8)
        // A full disk keeps the number out, not the lock.
        _ = ftruncate(raw, 0)
        _ = pwrite(raw, text, text.count, 0)
        self.descriptor = descriptor
    }

    /// Lets another process have it before the value ends.
    borrowing func release() { _ = flock(descriptor.raw, LOCK_UN) }

    /// The number in the file.
    private static func holder(_ descriptor: CInt) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        let digits = bytes.prefix(count).prefix { (0x30...0x39).contains($0) }
        return Int32(String(decoding: digits, as: UTF8.self))
    }
}
