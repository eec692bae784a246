@_exported public import AvahiDiscovery
