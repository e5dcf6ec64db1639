import Glibc
import Reactor

/// A pipe for tests of the loop; both ends are closed when it goes.
final class PipeEnds {
    private(set) var reading: CInt
    private(set) var writing: CInt

    init() throws {
        var ends: [CInt] = [-1, -1]
        try call("open a pipe") { pipe(&ends) }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        closeReading()
        closeWriting()
    }

    func put(_ count: Int = 1) {
        let bytes = [UInt8](repeating: 1, count: count)
        _ = write(writing, bytes, count)
    }

    func take(_ count: Int = 1) {
        var bytes = [UInt8](repeating: 0, count: count)
        _ = read(reading, &bytes, count)
    }

    func closeReading() {
        if reading >= 0 { _ = close(reading) }
        reading = -1
    }

    func closeWriting() {
        if writing >= 0 { _ = close(writing) }
        writing = -1
    }
}
