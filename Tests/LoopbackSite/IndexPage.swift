/// The pages that the site has without a scenario.
enum IndexPage {
    /// The list of all scenarios, those for people first.
    static func route(_ scenarios: [Scenario]) -> Route {
        let sorted = scenarios.sorted { first, second in
            let (a, b) = (first.demonstration == nil, second.demonstration == nil)
            return a == b ? first.name < second.name : b
        }
        var page = """
            <!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Loopback site</title>
            <style>body{font:16px sans-serif;max-width:50em;margin:2em auto}</style>
            <h1>Loopback site</h1><ul>

            """
        for scenario in sorted {
            let summary = scenario.summary.escapedForMarkup
            if let path = scenario.entrance, path.hasPrefix("/") {
                page += "<li><a href=\"\(path.escapedForMarkup)\">\(scenario.name)</a>: "
                page += "\(summary)</li>\n"
            } else {
                page += "<li>\(scenario.name): \(summary)</li>\n"
            }
        }
        return self.page(status: "200", page + "</ul></html>\n")
    }

    static let notFound = page(
        status: "404", "<!DOCTYPE html><title>No such page</title><p>No scenario serves this.\n")

    private static func page(status: String, _ text: String) -> Route {
        Route(
            pattern: PathPattern("/"), conditions: [],
            steps: [
                .head(
                    status: Template(bytes: Array(status.utf8)),
                    type: Template(bytes: Array("text/html; charset=utf-8".utf8))),
                .framing(.computed),
                .bytes(Array(text.utf8)),
            ])
    }
}

extension String {
    fileprivate var escapedForMarkup: String {
        var result = ""
        for character in self {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
        return result
    }
}
