// The drop-in module: `import RealmSwift` gives Domesday's API under RealmSwift's name.
@_exported public import Domesday
