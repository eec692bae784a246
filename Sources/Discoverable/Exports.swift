@_exported public import AvahiDiscovery
@_exported public import DiscoverableConnection
@_exported public import DiscoverableCore
