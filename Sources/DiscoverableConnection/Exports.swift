@_exported public import DiscoverableCore
