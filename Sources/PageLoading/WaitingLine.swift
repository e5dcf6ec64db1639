/// Elements in the order in which they are to go: taken from the front in constant time.
struct WaitingLine<Element> {
    private var elements: [Element?] = []
    private var front = 0

    var isEmpty: Bool { front == elements.count }
    var first: Element? { isEmpty ? nil : elements[front] }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func popFirst() -> Element? {
        guard let element = first else { return nil }
        elements[front] = nil
        front += 1
        // Room is given back once it is the larger part: each element is moved once at most.
        if front > 32, front > elements.count / 2 {
            elements.removeFirst(front)
            front = 0
        }
        return element
    }

    /// Puts an element in front of the first for which `isLater` is true.
    mutating func insert(_ element: Element, before isLater: (Element) -> Bool) {
        var (low, high) = (front, elements.count)
        while low < high {
            let middle = (low + high) / 2
            if elements[middle].map(isLater) ?? false { high = middle } else { low = middle + 1 }
        }
        if low == front, front > 0 {
            front -= 1
            elements[front] = element
        } else {
            elements.insert(element, at: low)
        }
    }
}
