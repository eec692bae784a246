@_exported public import DiscoverableCore
@_exported public import DiscoverableRuntime
