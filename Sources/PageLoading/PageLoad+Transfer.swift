import Fetching
import Titles

/// What a transfer tells, handed on: content to the title reader, the rest to the load.
extension PageLoad: TransferConsumer {
    package func transferReceived(head: ResponseHead) -> HeadVerdict { received(head) }

    package var wantsContent: Bool {
        if let reader { !reader.isSettled } else { false }
    }

    package func transferReceived(content: UnsafeRawBufferPointer) {
        reader?.read(content)
    }

    package func transferReceived(block bytes: Int) { received(block: bytes) }

    package func transferEnded(_ error: TransferError?) { hopEnded(error) }
}
