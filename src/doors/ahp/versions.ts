// Every protocol version that this door speaks. `integer1` and `v0_9` can be removed: delete the folders of
// the version and its line here. 1.0 is the base: the rest of the door uses its types.
export { integer1 } from './integer1/version.ts';
export { v0_9 } from './v0_9/version.ts';
export { v1_0 } from './v1_0/version.ts';
