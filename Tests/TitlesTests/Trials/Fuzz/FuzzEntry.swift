import Glibc

/// What this run puts on trial: `$FUZZ_SUBJECT`, the name of a ``TrialSubject``.
private let subject: TrialSubject? =
    getenv("FUZZ_SUBJECT").flatMap { TrialSubject(rawValue: String(cString: $0)) }

/// Whether the time of every input is measured, and not only of a few: `$FUZZ_TIME` is `always`.
private let measuresAlways = getenv("FUZZ_TIME").map { String(cString: $0) } == "always"

/// Measuring takes as long as some hundred trials, so it is done for one input in so many.
private let inputsPerMeasurement: UInt64 = 512

/// Tries one input; libFuzzer calls it, and takes the end of the process for a finding.
@c(LLVMFuzzerTestOneInput)
public func tryInput(_ bytes: UnsafeRawPointer?, _ count: Int) -> CInt {
    guard let subject else { end("FUZZ_SUBJECT names none of \(TrialSubject.allCases)") }
    let input = UnsafeRawBufferPointer(start: bytes, count: count)
    guard let trial = Trial(input) else { return 0 }
    if let fault = subject.fault(in: trial) { end("fault of \(subject): \(fault)") }
    // The input itself says whether it is measured: so a replay finds what was found.
    if measuresAlways || hash(input) % inputsPerMeasurement == 0,
        let fault = subject.timeFault(in: trial)
    {
        end("fault of \(subject): \(fault)")
    }
    return 0
}

/// FNV-1a.
private func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}

private func end(_ reason: String) -> Never {
    let line = Array((reason + "\n").utf8)
    _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    abort()
}
