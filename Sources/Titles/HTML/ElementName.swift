/// An element's name in lower case, of any length, in sixteen bytes.
///
/// Names of up to sixteen bytes are kept as they are; from the seventeenth byte on they are hashed:
/// such names are only ever compared with each other.
struct ElementName: Hashable {
    private(set) var low: UInt64 = 0
    private(set) var high: UInt64 = 0
    private(set) var count: UInt32 = 0

    init() {}

    init(_ name: String) {
        for byte in name.utf8 { append(byte) }
    }

    /// Appends a byte that is lower case already.
    @inline(__always)
    mutating func append(_ byte: UInt8) {
        if count < 8 {
            low |= UInt64(byte) << UInt64(8 * count)
        } else if count < 16 {
            high |= UInt64(byte) << UInt64(8 * (count - 8))
        } else {
            // FNV-1a over the whole of `high`.
            high = (high ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        count &+= 1
    }

    /// The byte at `index`, which is below `count` and below 16.
    subscript(index: Int) -> UInt8 {
        UInt8(
            truncatingIfNeeded: index < 8
                ? low >> UInt64(8 * index) : high >> UInt64(8 * (index - 8)))
    }
}

/// The names that the rules for building a page's tree treat in a way of their own.
///
/// Names of SVG are in lower case, as the tokenizer gives them. `other` is every other name.
enum TagName: String, CaseIterable {
    case other = ""
    case a, address, annotationXML = "annotation-xml", applet, area, article, aside
    case b, base, basefont, bgsound, big, blockquote, body, br, button
    case caption, center, code, col, colgroup
    case dd, desc, details, dialog, dir, div, dl, dt
    case em, embed
    case fieldset, figcaption, figure, font, footer, foreignObject = "foreignobject", form, frame
    case frameset
    case h1, h2, h3, h4, h5, h6, head, header, hgroup, hr, html
    case i, iframe, image, img, input
    case keygen
    case li, link, listing
    case main, malignmark, marquee, math, menu, meta, mglyph, mi, mn, mo, ms, mtext
    case nav, nobr, noembed, noframes, noscript
    case object, ol, optgroup, option
    case p, param, plaintext, pre
    case rb, rp, rt, rtc, ruby
    case s, script, search, section, select, small, source, span, strike, strong, style, sub
    case summary, sup, svg
    case table, tbody, td, template, textarea, tfoot, th, thead, title, tr, track, tt
    case u, ul, `var`, wbr, xmp

    /// The tag of that name.
    init(_ name: ElementName) {
        var slot = Self.slot(of: name)
        // The table is never full: there is always an empty slot to stop at.
        while true {
            let entry = Self.known[slot]
            if entry.tag == .other || entry.name == name {
                self = entry.tag
                return
            }
            slot = (slot + 1) % Self.slots
        }
    }

    private static let slots = 512

    private static func slot(of name: ElementName) -> Int {
        let mixed = (name.low ^ name.high &* 0x9E37_79B9_7F4A_7C15) &* 0xD6E8_FEB8_6659_FD93
        return Int(truncatingIfNeeded: mixed >> 55)
    }

    /// An open hash table; `other` marks an empty slot.
    private static let known: [(name: ElementName, tag: TagName)] = {
        var table = [(name: ElementName, tag: TagName)](
            repeating: (ElementName(), .other), count: slots)
        for tag in TagName.allCases where tag != .other {
            let name = ElementName(tag.rawValue)
            var slot = slot(of: name)
            while table[slot].tag != .other { slot = (slot + 1) % slots }
            table[slot] = (name, tag)
        }
        return table
    }()
}
