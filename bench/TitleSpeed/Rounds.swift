import CXML2
import Glibc
import Titles

/// Reads the same pages with both readers, in turn, so that a machine whose speed moves is no
/// advantage for either.
enum Rounds {
    static let count = 7
    /// What a network read gives.
    static let chunk = 16384

    /// Page bytes a second of CPU time, in MB.
    struct Speed {
        let pagewatch: Double
        let libxml2: Double

        var ratio: Double { pagewatch / libxml2 }
    }

    static func run(_ pages: [[UInt8]], contentType: String) -> Speed {
        let megabytes = Double(pages.reduce(0) { $0 + $1.count }) / 1e6
        var ours: [Double] = []
        var theirs: [Double] = []
        for _ in 0..<count {
            ours.append(megabytes / seconds { for page in pages { read(page, as: contentType) } })
            theirs.append(megabytes / seconds { for page in pages { parseWithLibxml2(page) } })
        }
        return Speed(pagewatch: median(ours), libxml2: median(theirs))
    }

    private static func read(_ page: [UInt8], as contentType: String) {
        let reader = PageReader(contentType: contentType)
        page.withUnsafeBytes { bytes in
            var at = 0
            while at < bytes.count, !reader.isSettled {
                let end = min(at + chunk, bytes.count)
                reader.read(UnsafeRawBufferPointer(rebasing: bytes[at..<end]))
                at = end
            }
        }
        reader.finish()
    }

    /// The whole page, to the events of an empty handler: the least that libxml2 can do.
    private static func parseWithLibxml2(_ page: [UInt8]) {
        var handler = htmlSAXHandler()
        handler.startElement = { _, _, _ in }
        handler.endElement = { _, _ in }
        handler.characters = { _, _, _ in }
        guard
            let parser = htmlCreatePushParserCtxt(
                &handler, nil, nil, 0, nil, XML_CHAR_ENCODING_UTF8)
        else { return }
        defer { htmlFreeParserCtxt(parser) }
        let options = HTML_PARSE_NOERROR.rawValue | HTML_PARSE_NOWARNING.rawValue
        htmlCtxtUseOptions(parser, CInt(bitPattern: options | HTML_PARSE_IGNORE_ENC.rawValue))
        page.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                var at = 0
                while at < bytes.count, let base = bytes.baseAddress {
                    let length = min(chunk, bytes.count - at)
                    htmlParseChunk(parser, base + at, CInt(length), 0)
                    at += length
                }
            }
        }
        htmlParseChunk(parser, nil, 0, 1)
    }

    private static func median(_ values: [Double]) -> Double {
        values.sorted()[values.count / 2]
    }
}

/// The CPU time that `action` takes.
func seconds(_ action: () -> Void) -> Double {
    let start = threadTime()
    action()
    return threadTime() - start
}

private func threadTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
