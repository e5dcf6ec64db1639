import Testing

@testable import Titles

@Suite struct `The charset of a Content-Type` {
    @Test(arguments: [
        ("text/html; charset=utf-8", "utf-8"),
        ("text/html;charset=UTF-8", "UTF-8"),
        ("text/html ;  CHARSET=Windows-1251 ; x=y", "Windows-1251"),
        // donsetch#24: case and quotes.
        ("text/html; Charset=GBK", "GBK"),
        ("text/html;charset=\"utf-8\"", "utf-8"),
        ("text/html; charset='windows-1251'", "windows-1251"),
        ("text/html; charset = windows-1251", "windows-1251"),
        ("text/html; charset=\" utf-8 \"", "utf-8"),
        ("text/html; charset=windows-1251, text/html", "windows-1251"),
        // Shaarli#1569: something behind the label.
        ("text/html; charset=\"utf-8\"\\r\\n\"", "utf-8"),
        ("text/html; charset=utf-8\"; x", "utf-8"),
        ("text/html; charset; charset=koi8-r", "koi8-r"),
        ("text/html; xcharset=a; charset=koi8-r", "koi8-r"),
        ("charset=gbk", "gbk"),
        ("text/html; charset=nonsense", "nonsense"),
    ])
    func `is found as browsers find it`(header: String, charset: String) {
        #expect(EncodingSniffer.httpCharset(fromContentType: header) == charset)
    }

    @Test(arguments: [
        "", "text/html", "text/html; charset", "text/html; charset=", "text/html; charset=\"\"",
        "text/html; charset=;", "text/html; xcharset=utf-8", "text/html; char=utf-8",
        // WeasyPrint#2672: a label without the word is none.
        "text/html; utf-8",
    ])
    func `may be missing`(header: String) {
        #expect(EncodingSniffer.httpCharset(fromContentType: header) == nil)
    }
}
