// Every protocol version that this door speaks. Deleting a version's folders and its line here removes the version.
export { integer1 } from './integer1/version.ts';
export { v0_9 } from './v0_9/version.ts';
export { v1_0 } from './v1_0/version.ts';
