/// What is put on trial: the parts of `Titles` that read bytes from strangers.
///
/// The fuzzer and the tests ask the same question of the same code: ``fault(in:)``.
enum TrialSubject: String, CaseIterable, Sendable {
    /// The decoders of all encodings.
    case decoders
    /// The tokenizer of HTML, and the rules that find the title.
    case html
    /// The decision about type and encoding, and what follows from it.
    case encoding
    /// XML: XHTML, SVG and others.
    case xml

    /// What is wrong with the answers to that trial; nil if nothing is.
    func fault(in trial: Trial) -> String? {
        switch self {
        case .decoders: DecoderTrial(trial).fault
        case .html: PageTrial(html: trial).fault
        case .encoding: PageTrial(encoding: trial).fault
        case .xml: PageTrial(xml: trial).fault
        }
    }

    /// Whether a body that is eight times as long takes much more than eight times as long to read.
    func timeFault(in trial: Trial) -> String? {
        LinearTime.fault(in: trial) { longer in
            switch self {
            case .decoders: DecoderTrial(longer).readOnce()
            case .html: PageTrial(html: longer).readOnce()
            case .encoding: PageTrial(encoding: longer).readOnce()
            case .xml: PageTrial(xml: longer).readOnce()
            }
        }
    }
}
