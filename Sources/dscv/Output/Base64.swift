internal import Foundation

func base64(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString()
}
