internal import Discoverable
print("dscv")
