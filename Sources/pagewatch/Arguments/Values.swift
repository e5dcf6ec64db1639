import Configuration

// Values as people write them. Each error is the rest of a sentence that begins with the option,
// such as `--timeout "5x" is not a duration (write "5s" or "2min")`.

/// A length of time such as `30s`, `1min30s`, `1.5h`; a number alone is seconds.
func parsedDuration(_ text: String) throws(UsageError) -> Duration {
    do {
        return try WrittenDuration.read(text, bareNumber: .seconds)
    } catch {
        throw UsageError(error.message)
    }
}

/// A number of bytes such as `500000`, `64MiB` or `1.5M`.
func parsedSize(_ text: String) throws(UsageError) -> Int64 {
    do {
        return try WrittenSize.read(text)
    } catch {
        throw UsageError(error.message)
    }
}

/// A whole number in decimal digits within `range`.
func parsedCount(_ text: String, in range: ClosedRange<Int>) throws(UsageError) -> Int {
    do {
        return try WrittenCount.read(text, in: range)
    } catch {
        throw UsageError(error.message)
    }
}
