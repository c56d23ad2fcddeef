// The store that tests use in place of a disk makes the same promises as the real one.
import { MemoryStore } from '../kit/memoryStore.ts';
import { logStoreContract } from './logStore.ts';

logStoreContract('the store in memory', () => {
  const store = new MemoryStore();
  return Promise.resolve({
    store,
    breakWrites: () => void (store.broken = new Error('The disk is full.')),
    mendWrites: () => void (store.broken = undefined),
    dispose: () => Promise.resolve(store.close()),
  });
});
