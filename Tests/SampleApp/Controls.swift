/// Stand-ins for what a screen is made of.
class Label {
    var text: String?
}

class Button {
    var isEnabled = true
}
