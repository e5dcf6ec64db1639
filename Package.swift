// swift-tools-version: 6.2
import PackageDescription

/// The settings of every Swift target: language mode 6 comes with the tools version below.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A module of the program; `Sources/NAME`.
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// The tests of the module of that name; `Tests/NAMETests`.
func tests(of name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

/// A C library of Debian, found through pkg-config.
func library(_ name: String, pkgConfig: String, package: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}

let package = Package(
    name: "pagewatch",
    products: [.executable(name: "pagewatch", targets: ["pagewatch"])],
    targets: [
        .systemLibrary(name: "CLinux"),
        library("CCurl", pkgConfig: "libcurl", package: "libcurl4-openssl-dev"),
        library("CXML2", pkgConfig: "libxml-2.0", package: "libxml2-dev"),
        library("CZlib", pkgConfig: "zlib", package: "zlib1g-dev"),
        library("CBrotli", pkgConfig: "libbrotlidec", package: "libbrotli-dev"),
        library("CZstd", pkgConfig: "libzstd", package: "libzstd-dev"),
        library("CPCRE2", pkgConfig: "libpcre2-8", package: "libpcre2-dev"),
        library("CYAML", pkgConfig: "yaml-0.1", package: "libyaml-dev"),
        library("CSQLite", pkgConfig: "sqlite3", package: "libsqlite3-dev"),
        library("CMicrohttpd", pkgConfig: "libmicrohttpd", package: "libmicrohttpd-dev"),

        module("Reactor", ["CLinux"]),
        module("Systemd", ["Reactor"]),
        module("WebAddress", ["CCurl"]),
        module("Fetching", ["Reactor", "WebAddress", "CCurl", "CZlib", "CBrotli", "CZstd"]),
        module("Titles", ["CXML2"]),
        module("PageModel"),
        module("PageLoading", ["Fetching", "Reactor", "WebAddress", "Titles", "PageModel"]),
        module("Patterns", ["CPCRE2"]),
        module("Events", ["PageModel", "CLinux"]),
        module("Configuration", ["WebAddress", "Patterns", "Titles", "PageModel", "CYAML"]),
        module("History", ["PageModel", "Reactor", "CLinux", "CSQLite"]),
        module(
            "Watching",
            [
                "PageLoading", "Fetching", "Reactor", "WebAddress", "Titles", "PageModel",
                "Patterns", "Events", "History", "Configuration", "CLinux",
            ]),
        module(
            "Control",
            [
                "Watching", "Configuration", "History", "Events", "PageModel", "WebAddress",
                "Reactor", "CLinux", "CCurl", "CMicrohttpd",
            ]),
        .executableTarget(
            name: "pagewatch",
            dependencies: [
                "PageLoading", "Fetching", "Reactor", "WebAddress", "Titles", "PageModel",
                "Patterns", "Events", "History", "Configuration", "Watching", "Control", "Systemd",
                "CLinux", "CCurl",
            ],
            swiftSettings: strict),

        .systemLibrary(name: "CTestLinux", path: "Tests/CTestLinux"),
        .target(
            name: "LoopbackSite", dependencies: ["Reactor", "CTestLinux", "CZlib"],
            path: "Tests/LoopbackSite", exclude: ["Scenarios"], swiftSettings: strict),
        .executableTarget(
            name: "loopback-site", dependencies: ["LoopbackSite", "Reactor", "CTestLinux"],
            path: "Tests/LoopbackSiteCommand", swiftSettings: strict),
        .executableTarget(
            name: "history-writer", dependencies: ["History", "PageModel", "Reactor"],
            path: "Tests/HistoryWriter", swiftSettings: strict),
        .target(
            name: "TestSupport", dependencies: ["CLinux", "CTestLinux", "LoopbackSite", "Reactor"],
            path: "Tests/TestSupport", swiftSettings: strict),

        .executableTarget(
            name: "title-speed", dependencies: ["Titles", "CXML2"], path: "bench/TitleSpeed",
            swiftSettings: strict),

        tests(of: "Reactor", ["Reactor", "TestSupport"]),
        tests(of: "Systemd", ["Systemd", "Reactor", "TestSupport"]),
        tests(of: "LoopbackSite", ["LoopbackSite", "loopback-site", "Reactor", "TestSupport"]),
        tests(of: "WebAddress", ["WebAddress"]),
        tests(
            of: "Fetching",
            [
                "Fetching", "Reactor", "WebAddress", "TestSupport", "LoopbackSite", "CZlib",
                "CZstd",
            ]),
        tests(of: "Titles", ["Titles", "TestSupport"], exclude: ["Fixtures", "Trials/Fuzz"]),
        tests(of: "PageModel", ["PageModel"]),
        tests(
            of: "PageLoading",
            [
                "PageLoading", "PageModel", "Fetching", "WebAddress", "Reactor", "TestSupport",
                "LoopbackSite",
            ]),
        tests(of: "Patterns", ["Patterns"]),
        tests(of: "Events", ["Events", "PageModel"]),
        tests(
            of: "Configuration", ["Configuration", "Patterns", "TestSupport", "WebAddress"],
            exclude: ["Fixtures"]),
        tests(
            of: "Watching",
            [
                "Watching", "Configuration", "Events", "Fetching", "History", "LoopbackSite",
                "PageLoading", "PageModel", "Patterns", "Reactor", "TestSupport", "WebAddress",
            ],
            exclude: ["Decisions"]),
        tests(
            of: "History",
            ["History", "history-writer", "PageModel", "Reactor", "CSQLite", "TestSupport"]),
        tests(of: "Control", ["Control", "Reactor", "CTestLinux", "TestSupport"]),
        tests(
            of: "Command",
            [
                "pagewatch", "Events", "History", "PageModel", "Reactor", "Systemd", "CLinux",
                "TestSupport", "LoopbackSite",
            ]),
        tests(
            of: "Manual", ["pagewatch", "Configuration", "Events", "Titles", "TestSupport"],
            exclude: ["Scripts"]),
        tests(
            of: "Service", ["pagewatch", "Events", "PageModel", "Reactor", "TestSupport"],
            exclude: ["Machine"]),
    ],
    swiftLanguageModes: [.v6]
)

// `make fuzz` builds another package out of the same sources: the readers of pages, instrumented, and
// the program that tries them. See docs/FUZZING.md.
if Context.environment["PAGEWATCH_FUZZ"] == "1" {
    let instrumented: [SwiftSetting] = [
        .unsafeFlags(["-sanitize=fuzzer,address", "-enable-testing"])
    ]
    package.products = []
    package.targets = [
        library("CXML2", pkgConfig: "libxml-2.0", package: "libxml2-dev"),
        .target(
            name: "Titles", dependencies: ["CXML2"], swiftSettings: strict + instrumented),
        .executableTarget(
            name: "titles-fuzz", dependencies: ["Titles"], path: "Tests/TitlesTests/Trials",
            exclude: ["Fuzz/titles.dict"],
            // The program's main function is libFuzzer's.
            swiftSettings: strict + instrumented + [.unsafeFlags(["-parse-as-library"])],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address"])]),
    ]
}
