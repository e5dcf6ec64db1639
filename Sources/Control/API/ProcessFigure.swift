import CLinux
import Glibc
import Reactor

/// A figure of this process, named as Prometheus' client libraries name it.
struct ProcessFigure {
    let name: String
    let type: String
    let help: String
    let value: String

    /// Those that the system tells (clock_gettime(2), getrlimit(2), proc_pid_statm(5)).
    static func all() -> [ProcessFigure] {
        [processorTime(), residentMemory(), openDescriptors(), mostDescriptors()].compactMap { $0 }
    }

    private static func processorTime() -> ProcessFigure? {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return nil }
        let spent = Duration.seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        return ProcessFigure(
            name: "process_cpu_seconds_total", type: "counter",
            help: "Processor time of the process, of the user and of the system.",
            value: "\(spent.inSeconds)")
    }

    private static func residentMemory() -> ProcessFigure? {
        guard let file = fopen("/proc/self/statm", "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, CInt(line.count), file) != nil else { return nil }
        let text = String(
            decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int64($0) }
        return pages.map { pages in
            ProcessFigure(
                name: "process_resident_memory_bytes", type: "gauge",
                help: "Memory of the process that is not swapped out.",
                value: "\(pages * Int64(sysconf(CInt(_SC_PAGESIZE))))")
        }
    }

    private static func openDescriptors() -> ProcessFigure? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Two are the folder and its parent, one is what it is read with.
        return ProcessFigure(
            name: "process_open_fds", type: "gauge", help: "File descriptors that are open.",
            value: "\(max(0, count - 3))")
    }

    private static func mostDescriptors() -> ProcessFigure? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return nil
        }
        return ProcessFigure(
            name: "process_max_fds", type: "gauge", help: "File descriptors that may be open.",
            value: "\(limit.rlim_cur)")
    }
}
