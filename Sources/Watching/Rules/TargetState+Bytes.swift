import PageModel

extension TargetState {
    /// The form of the bytes. Raise it with every change of what follows, and go on reading the old.
    private static let form: UInt8 = 1

    /// The state as bytes for the store: 100 to 300 for a page with a usual title.
    package func encoded() -> [UInt8] {
        var writer = StateWriter()
        writer.write(told) { $0.write(told: $1) }
        writer.write(run) { writer, run in
            writer.write(run.title)
            writer.write(run.count)
            writer.write(signed: run.first.milliseconds)
        }
        writer.write(failures) { $0.write(failures: $1) }
        writer.write(each: switches) { writer, step in
            writer.write(step.from)
            writer.write(step.load)
        }
        writer.write(oscillation) { $0.write(each: $1) { $0.write($1) } }
        writer.write(unconfirmed)
        writer.write(each: unconfirmedTitles) { $0.write($1) }
        writer.write(isUnstableTold)
        writer.write(goodLoads)
        writer.write(hasHadTitle)
        writer.write(ownSide) { writer, side in
            for hash in [side.url, side.headers, side.encoding, side.userAgent, side.rules] {
                writer.write(fixed: hash)
            }
            writer.write(UInt64(side.readerVersion))
        }
        writer.write(UInt64(edits.rawValue))
        writer.write(isBack)
        writer.write(validated) { $0.write(validated: $1) }
        writer.write(UInt64(nextCheck.rawValue))
        writer.write(lastStart) { $0.write(signed: $1.milliseconds) }
        writer.write(pause) { writer, pause in
            guard case .until(let time) = pause else { return writer.write(false) }
            writer.write(true)
            writer.write(signed: time.milliseconds)
        }
        return writer.bytes(version: Self.form)
    }

    /// The state that was stored as these bytes.
    ///
    /// - Throws: ``StateError`` if a newer version wrote them, or if they are damaged.
    package init(decoding bytes: [UInt8]) throws(StateError) {
        guard let form = bytes.first else { throw .damaged("it is empty") }
        guard form <= Self.form else {
            throw .newer(version: Int(form), known: Int(Self.form))
        }
        guard form > 0 else { throw .damaged("there is no form 0") }
        var reader = try StateReader(bytes.dropFirst())
        self.init()
        told = try reader.optional { reader throws(StateError) in try reader.told() }
        run = try reader.optional { reader throws(StateError) in
            TitleRun(
                title: try reader.textOrNil(), count: try reader.int(), first: try reader.time())
        }
        failures = try reader.optional { reader throws(StateError) in try reader.failures() }
        switches = try reader.each { reader throws(StateError) in
            TitleSwitch(from: try reader.textOrNil(), load: try reader.counter())
        }
        oscillation = try reader.optional { reader throws(StateError) in
            try reader.each { reader throws(StateError) in try reader.textOrNil() }
        }
        unconfirmed = try reader.int()
        unconfirmedTitles = try reader.each { reader throws(StateError) in
            try reader.textOrNil()
        }
        isUnstableTold = try reader.truth()
        goodLoads = try reader.counter()
        hasHadTitle = try reader.truth()
        ownSide = try reader.optional { reader throws(StateError) in
            OwnSide(
                url: try reader.fixed(), headers: try reader.fixed(),
                encoding: try reader.fixed(), userAgent: try reader.fixed(),
                rules: try reader.fixed(), readerVersion: UInt32(clamping: try reader.number()))
        }
        edits = Edits(rawValue: UInt8(clamping: try reader.number())).intersection(.all)
        isBack = try reader.truth()
        validated = try reader.optional { reader throws(StateError) in try reader.validated() }
        guard let check = NextCheck(rawValue: UInt8(clamping: try reader.number())) else {
            throw .damaged("its next check is unknown")
        }
        nextCheck = check
        lastStart = try reader.optional { reader throws(StateError) in try reader.time() }
        pause = try reader.optional { reader throws(StateError) in
            try reader.truth() ? .until(try reader.time()) : .untilResumed
        }
        guard reader.isAtEnd else { throw .damaged("there is something behind its end") }
    }
}

extension StateWriter {
    fileprivate mutating func write(told: ToldTitle) {
        write(told.title)
        write(told.url)
        write(signed: told.lastSeen.milliseconds)
        write(told.encoding)
        write(told.bytes) { $0.write(titleBytes: $1) }
    }

    fileprivate mutating func write(failures: FailureRun) {
        write(failures.count)
        write(signed: failures.first.milliseconds)
        write(failures.error.phase.rawValue)
        write(failures.error.code)
        write(failures.error.message)
        write(failures.status) { $0.write(signed: Int64($1)) }
        write(failures.isTold)
    }

    fileprivate mutating func write(validated: ValidatedAnswer) {
        write(validated.validators.entityTag)
        write(validated.validators.lastModified)
        write(validated.title)
        write(validated.url)
        write(validated.encoding)
        write(validated.bytes) { $0.write(titleBytes: $1) }
    }

    private mutating func write(titleBytes: TitleBytes) {
        write(UInt64(titleBytes.count))
        write(fixed: titleBytes.hash)
    }
}

extension StateReader {
    fileprivate mutating func time() throws(StateError) -> Timestamp {
        Timestamp(milliseconds: try signed())
    }

    fileprivate mutating func told() throws(StateError) -> ToldTitle {
        ToldTitle(
            title: try textOrNil(), url: try text(), lastSeen: try time(),
            encoding: try textOrNil(), bytes: try titleBytes())
    }

    fileprivate mutating func failures() throws(StateError) -> FailureRun {
        let count = try int()
        let first = try time()
        guard let phase = LoadError.Phase(rawValue: try text()) else {
            throw .damaged("its error has an unknown phase")
        }
        return FailureRun(
            count: count, first: first,
            error: LoadError(phase: phase, code: try text(), message: try text()),
            status: try optional { reader throws(StateError) in
                Int(truncatingIfNeeded: try reader.signed())
            },
            isTold: try truth())
    }

    fileprivate mutating func validated() throws(StateError) -> ValidatedAnswer {
        guard
            let validators = Validators(
                entityTag: try textOrNil(), lastModified: try textOrNil())
        else { throw .damaged("its validators are missing") }
        return ValidatedAnswer(
            validators: validators, title: try textOrNil(), url: try text(),
            encoding: try textOrNil(), bytes: try titleBytes())
    }

    private mutating func titleBytes() throws(StateError) -> TitleBytes? {
        try optional { reader throws(StateError) in
            TitleBytes(
                count: UInt32(clamping: try reader.number()), hash: try reader.fixed())
        }
    }
}
