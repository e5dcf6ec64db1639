/// The standard's lists of elements.
extension TagName {
    /// An HTML element that an unmatched end tag does not look past.
    var isSpecial: Bool {
        switch self {
        case .address, .applet, .area, .article, .aside, .base, .basefont, .bgsound, .blockquote,
            .body, .br, .button, .caption, .center, .col, .colgroup, .dd, .details, .dir, .div, .dl,
            .dt, .embed, .fieldset, .figcaption, .figure, .footer, .form, .frame, .frameset, .h1,
            .h2, .h3, .h4, .h5, .h6, .head, .header, .hgroup, .hr, .html, .iframe, .img, .input,
            .keygen, .li, .link, .listing, .main, .marquee, .menu, .meta, .nav, .noembed, .noframes,
            .noscript, .object, .ol, .p, .param, .plaintext, .pre, .script, .search, .section,
            .select, .source, .style, .summary, .table, .tbody, .td, .template, .textarea, .tfoot,
            .th, .thead, .title, .tr, .track, .ul, .wbr, .xmp:
            true
        default: false
        }
    }

    /// An HTML element whose end tag may be left out.
    var hasImpliedEnd: Bool {
        switch self {
        case .dd, .dt, .li, .optgroup, .option, .p, .rb, .rp, .rt, .rtc: true
        default: false
        }
    }

    /// Those whose end is implied at the end of a template.
    var hasThoroughlyImpliedEnd: Bool {
        switch self {
        case .caption, .colgroup, .tbody, .td, .tfoot, .th, .thead, .tr: true
        default: hasImpliedEnd
        }
    }

    /// An HTML element that hides what is outside of it: the standard's "scope".
    var boundsScope: Bool {
        switch self {
        case .applet, .caption, .html, .table, .td, .th, .marquee, .object, .select, .template: true
        default: false
        }
    }

    /// Direct children that do not belong in these go before the table.
    var isTableStructure: Bool {
        switch self {
        case .table, .tbody, .tfoot, .thead, .tr: true
        default: false
        }
    }

    var isHeading: Bool {
        switch self {
        case .h1, .h2, .h3, .h4, .h5, .h6: true
        default: false
        }
    }

    var isFormatting: Bool {
        switch self {
        case .a, .b, .big, .code, .em, .font, .i, .nobr, .s, .small, .strike, .strong, .tt, .u: true
        default: false
        }
    }

    /// Blocks: a start tag ends an open paragraph, an end tag ends what is open inside.
    var isBlock: Bool {
        switch self {
        case .address, .article, .aside, .blockquote, .center, .details, .dialog, .dir, .div, .dl,
            .fieldset, .figcaption, .figure, .footer, .header, .hgroup, .listing, .main, .menu,
            .nav, .ol, .pre, .search, .section, .summary, .ul:
            true
        default: false
        }
    }

    /// A start tag that ends SVG or MathML around it (`font` does so only with some attributes).
    var breaksOutOfForeignContent: Bool {
        switch self {
        case .b, .big, .blockquote, .body, .br, .center, .code, .dd, .div, .dl, .dt, .em, .embed,
            .h1, .h2, .h3, .h4, .h5, .h6, .head, .hr, .i, .img, .li, .listing, .menu, .meta, .nobr,
            .ol, .p, .pre, .ruby, .s, .small, .span, .strong, .strike, .sub, .sup, .table, .tt, .u,
            .ul, .var:
            true
        default: false
        }
    }
}
