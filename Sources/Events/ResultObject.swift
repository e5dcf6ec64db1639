import PageModel

extension LoadResult {
    /// Appends the result object of `check --json` and a line break.
    ///
    /// `refresh`, `error` and `previousTitle` are there only when there is one, and `titleMatches`
    /// only when a title is expected; every other key always is.
    ///
    /// - Parameters:
    ///   - findings: What the run found out about the page.
    ///   - expectsTitle: Whether titles are searched for a pattern.
    package func appendJSON(
        to json: inout JSONWriter, findings: [Finding] = [], expectsTitle: Bool = false
    ) {
        json.object { json in
            json.key("initialURL")
            json.value(initialURL)
            json.key("url")
            json.value(url)
            json.key("title")
            json.value(title)
            json.key("outcome")
            json.value(outcome.rawValue)
            json.key("status")
            json.value(status)
            json.key("contentType")
            json.value(contentType)
            json.key("encoding")
            json.value(encoding)
            json.key("encodingSource")
            json.value(encodingSource?.rawValue)
            json.key("redirects")
            json.array { json in
                for redirect in redirects { redirect.appendJSON(to: &json) }
            }
            if let refresh {
                json.key("refresh")
                refresh.appendJSON(to: &json)
            }
            json.key("bytes")
            json.value(bytes)
            json.key("timings")
            if let timings { timings.appendJSON(to: &json) } else { json.null() }
            if let error {
                json.key("error")
                error.appendJSON(to: &json)
            }
            for case .titleChanged(let previous) in findings {
                json.key("previousTitle")
                json.value(previous)
            }
            if expectsTitle {
                json.key("titleMatches")
                if isFailure || findings.contains(where: \.isUnknown) {
                    json.null()
                } else {
                    json.value(!findings.contains(where: \.isMismatch))
                }
            }
        }
        json.newline()
    }
}

extension Finding {
    fileprivate var isMismatch: Bool {
        if case .titleNotExpected = self { true } else { false }
    }
}

extension LoadResult.Redirect {
    fileprivate func appendJSON(to json: inout JSONWriter) {
        json.object { json in
            json.key("url")
            json.value(url)
            json.key("status")
            json.value(status)
        }
    }
}

extension LoadResult.Refresh {
    fileprivate func appendJSON(to json: inout JSONWriter) {
        json.object { json in
            json.key("delay")
            json.value(delay)
            json.key("url")
            json.value(url)
        }
    }
}
