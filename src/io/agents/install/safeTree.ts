// Writes the entries of an archive below one folder. Whatever an archive contains, nothing outside the folder
// is written, read or linked to.
import { chmod, link, lstat, mkdir, open, symlink } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';

export interface TreeLimits {
  /** All files together, in bytes. */
  readonly bytes: number;
  readonly entries: number;
}

export class SafeTree {
  readonly #root: string;
  readonly #limits: TreeLimits;
  #bytes = 0;
  #entries = 0;

  /** The folder must exist, belong to us, and be empty. */
  constructor(root: string, limits: TreeLimits) {
    this.#root = resolve(root);
    this.#limits = limits;
  }

  async directory(name: string): Promise<void> {
    await this.#makeFolders(this.#place(name));
  }

  /** Of the permissions only the one to execute is kept. */
  async file(name: string, mode: number, content: AsyncIterable<Uint8Array>): Promise<void> {
    const path = this.#place(name);
    await this.#makeFolders(dirname(path));
    const handle = await open(path, 'wx', 0o600).catch((error: unknown) => {
      throw new Error(`The archive cannot write ${name}.`, { cause: error });
    });
    try {
      for await (const chunk of content) {
        this.#bytes += chunk.byteLength;
        if (this.#bytes > this.#limits.bytes)
          throw new Error(`The archive unpacks to more than ${this.#limits.bytes / 1_000_000} MB.`);
        await handle.write(chunk);
      }
    } finally {
      await handle.close();
    }
    await chmod(path, (mode & 0o111) === 0 ? 0o644 : 0o755);
  }

  /**
   * A link to something inside the folder. `..` may only come first: after a name it could leave the folder
   * through another link.
   */
  async symlink(name: string, target: string): Promise<void> {
    const path = this.#place(name);
    const words = target.split('/');
    const firstName = words.findIndex((word) => word !== '..' && word !== '.');
    const isPlain = firstName < 0 || !words.slice(firstName).includes('..');
    if (/^[/\\]|^[a-z]:|\0/i.test(target) || !isPlain || !this.#contains(resolve(dirname(path), target)))
      throw new Error(`The archive has a link to a place outside it: ${name}.`);
    await this.#makeFolders(dirname(path));
    await symlink(target, path);
  }

  /** A second name of a file that the archive has already written. */
  async hardLink(name: string, target: string): Promise<void> {
    const [path, existing] = [this.#place(name), this.#place(target)];
    await this.#makeFolders(dirname(path));
    await this.#makeFolders(dirname(existing));
    if (!(await lstat(existing)).isFile()) throw new Error(`The archive links ${name} to what is no file.`);
    await link(existing, path);
  }

  #place(name: string): string {
    this.#entries += 1;
    if (this.#entries > this.#limits.entries)
      throw new Error(`The archive has more than ${this.#limits.entries} entries.`);
    const path = join(this.#root, name);
    const isUnsafe =
      /^[/\\]|^[a-z]:|\0/i.test(name) || name.split(/[/\\]/).includes('..') || !this.#contains(path);
    if (isUnsafe) throw new Error(`The archive has an entry outside its folder: ${name}.`);
    return path;
  }

  #contains(path: string): boolean {
    return path === this.#root || path.startsWith(`${this.#root}${sep}`);
  }

  /** Creates the folders down to a path; none of them may be a link. */
  async #makeFolders(path: string): Promise<void> {
    let at = this.#root;
    for (const word of relative(this.#root, path).split(sep).filter(Boolean)) {
      at = join(at, word);
      const found = await lstat(at).catch(() => undefined);
      if (!found) await mkdir(at, { mode: 0o755 });
      else if (!found.isDirectory())
        throw new Error(`The archive writes through ${word}, which is no folder.`);
    }
  }
}
