import Events
import History
import PageModel
import Reactor
import Watching

/// A target as the API tells it: as it is now, and what the history has of it.
struct TargetAnswer {
    let view: TargetView
    /// When its title was told to be another one, or for the first time.
    let lastChange: Timestamp?
    /// The last good and the last failed check; nil if there was none, or none is known.
    let lastGood: LoadRecord?
    let lastFailed: LoadRecord?

    /// Appends one JSON object.
    func appendJSON(to json: inout JSONWriter) {
        json.object { json in
            json.key("name")
            json.value(view.name)
            json.key("state")
            json.value(view.state.rawValue)
            json.key("url")
            json.value(view.url)
            json.key("tags")
            json.value(view.tags)
            json.key("interval")
            if let interval = view.interval { json.value(interval.inSeconds) } else { json.null() }
            json.key("title")
            json.value(view.title?.title)
            json.key("lastSeen")
            json.value(view.title?.time)
            json.key("lastChange")
            json.value(lastChange)
            json.key("nextCheck")
            json.value(view.nextCheck)
            json.key("heldUntil")
            json.value(view.heldUntil)
            json.key("pausedUntil")
            json.value(view.pausedUntil)
            json.key("load")
            json.value(view.load)
            json.key("page")
            view.page.appendJSON(to: &json)
            json.key("failedLoads")
            json.value(view.failedLoads)
            json.key("failing")
            if let failing = view.failing {
                json.object { json in
                    json.key("error")
                    failing.error.appendJSON(to: &json)
                    json.key("since")
                    json.value(WallTime(failing.since))
                }
            } else {
                json.null()
            }
            json.key("lastGood")
            json.value(lastGood)
            json.key("lastFailed")
            json.value(lastFailed)
            json.key("decision")
            json.value(view.explanation.isEmpty ? nil : view.explanation)
        }
    }
}

extension JSONWriter {
    /// A moment, or null.
    mutating func value(_ time: Timestamp?) {
        if let time { value(WallTime(time)) } else { null() }
    }

    /// The facts of a load as an object, or null.
    fileprivate mutating func value(_ record: LoadRecord?) {
        guard let record else { return null() }
        object { json in
            json.key("load")
            json.value(record.load)
            json.key("time")
            json.value(WallTime(record.ended))
            json.key("url")
            json.value(record.url)
            json.key("status")
            json.value(record.status)
            json.key("title")
            json.value(record.title)
            json.key("bytes")
            json.value(record.bytes)
            if let error = record.error {
                json.key("error")
                error.appendJSON(to: &json)
            }
        }
    }
}

extension Page {
    /// Appends an object of what a web view would show.
    fileprivate func appendJSON(to json: inout JSONWriter) {
        json.object { json in
            json.key("url")
            json.value(url)
            json.key("title")
            json.value(title)
            json.key("estimatedProgress")
            json.value(estimatedProgress)
            json.key("isLoading")
            json.value(isLoading)
            json.key("canGoBack")
            json.value(canGoBack)
            json.key("canGoForward")
            json.value(canGoForward)
            json.key("backForwardList")
            json.object { json in
                json.key("backList")
                json.value(backForwardList.backList)
                json.key("currentItem")
                if let item = backForwardList.currentItem {
                    item.appendJSON(to: &json)
                } else {
                    json.null()
                }
                json.key("forwardList")
                json.value(backForwardList.forwardList)
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func value(_ items: [BackForwardList.Item]) {
        array { json in
            for item in items { item.appendJSON(to: &json) }
        }
    }
}

extension BackForwardList.Item {
    fileprivate func appendJSON(to json: inout JSONWriter) {
        json.object { json in
            json.key("url")
            json.value(url)
            json.key("initialURL")
            json.value(initialURL)
            json.key("title")
            json.value(title)
        }
    }
}
