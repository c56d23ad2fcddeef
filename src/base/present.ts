// Leaves undefined members out of an object: the log and the wires have no key for an absent field.

/** Members that may be undefined become optional; all others stay as they are. */
export type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** A copy of the object without its undefined members. */
export function present<T extends object>(value: T): Present<T>;
export function present(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}
