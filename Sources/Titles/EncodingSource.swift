/// Where a page's encoding was found.
package enum EncodingSource: String, Sendable {
    case bom, http, meta, xml, `default`, override
}
