/// Where the events go that `tail` follows: to standard output, or to a command.
protocol EventSink: AnyObject {
    /// How the service is to write the events.
    var form: EventForm { get }
    /// Whether no further event is to come for now.
    var isBusy: Bool { get }
    /// The last event that was handled since this was asked before, if any.
    func takeHandled() -> Int64?
    /// Takes an event: a line without its end, valid only during the call.
    func take(_ seq: Int64, _ line: ArraySlice<UInt8>)
    /// Tells a person something that is no event.
    func mention(_ text: String)
    /// A turn of the loop is over.
    func turnEnded()
    /// Whether nothing more can be handled.
    var hasFailed: Bool { get }
    /// A signal has come that ends the program.
    func interrupt(by signal: CInt)
    /// Whether something is under way that should come to its end first.
    var isEnding: Bool { get }
    /// Leaves all as it is to be left.
    func finish() -> ExitCode
}

/// How the service writes events, a line each.
enum EventForm {
    case json
    /// For people, with the event's number and a blank before.
    case text(isUTC: Bool)

    /// The number of an event, and what is to be shown of its line; nil if the line is none of the
    /// service's.
    func parts(of line: ArraySlice<UInt8>) -> (seq: Int64, line: ArraySlice<UInt8>)? {
        let beginning = Array("{\"seq\":".utf8)
        var rest = line
        if case .json = self {
            guard line.starts(with: beginning) else { return nil }
            rest = line.dropFirst(beginning.count)
        }
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard let seq = Int64(String(decoding: digits, as: UTF8.self)) else { return nil }
        rest = rest.dropFirst(digits.count)
        switch self {
        case .json: return rest.first == UInt8(ascii: ",") ? (seq, line) : nil
        case .text: return rest.first == UInt8(ascii: " ") ? (seq, rest.dropFirst()) : nil
        }
    }
}
