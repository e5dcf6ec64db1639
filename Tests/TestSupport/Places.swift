import CTestLinux
import Glibc

/// Where the test finds what was built.
package enum BuiltProducts {
    /// The folder of the running test's program, where SwiftPM puts all products of a build.
    package static let folder: String = {
        if let named = getenv("PAGEWATCH_PRODUCTS") { return String(cString: named) }
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let bytes = buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
        let path = String(decoding: bytes, as: UTF8.self)
        return String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }()

    /// The path of a product, such as `pagewatch`.
    package static func path(_ name: String) -> String { "\(folder)/\(name)" }
}

/// The folder of reference material that lies beside the project where it is developed.
package enum SharedFolder {
    /// `$PAGEWATCH_SHARED`, or `../shared` beside the project; nil if there is none.
    package static let path: String? = {
        let named = getenv("PAGEWATCH_SHARED").map { String(cString: $0) }
        // FILE is PROJECT/Tests/TestSupport/Places.swift.
        let project = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let folder = named ?? "/\(project)/../shared"
        return access(folder, R_OK | X_OK) == 0 ? folder : nil
    }()

    /// Why a test that needs the folder is skipped; `.needsSharedFolder` says it.
    package static let skipReason =
        "needs the folder ../shared (or $PAGEWATCH_SHARED), which is not here"
}

extension Program {
    /// The built `pagewatch`.
    package static func pagewatch(_ arguments: String...) -> Program {
        Program(BuiltProducts.path("pagewatch"), arguments)
    }

    /// The built `pagewatch`.
    package static func pagewatch(arguments: [String]) -> Program {
        Program(BuiltProducts.path("pagewatch"), arguments)
    }

    /// The built `loopback-site`.
    package static func loopbackSite(_ arguments: String...) -> Program {
        Program(BuiltProducts.path("loopback-site"), arguments)
    }
}
