// The file in which a running host says how to reach it.
import { isRecord } from '../base/isRecord.ts';
import { readUserFile } from '../io/files/folderFile.ts';
import { writePrivately } from '../io/files/privateFiles.ts';

export interface HostInfo {
  readonly pid: number;
  readonly version: string;
  readonly host: string;
  readonly port: number;
  /** The address of the console, with a slash at its end. */
  readonly url: string;
  /** The SHA-256 fingerprint of our self-signed certificate, if it is in use. */
  readonly fingerprint?: string;
}

export function writeHostInfo(file: string, info: HostInfo): void {
  writePrivately(file, `${JSON.stringify(info)}\n`);
}

/**
 * Undefined when no host has written the file, or it cannot be read. A host that crashed
 * leaves its file behind.
 */
export function readHostInfo(file: string): HostInfo | undefined {
  try {
    const value: unknown = JSON.parse(readUserFile(file));
    return isHostInfo(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isHostInfo(value: unknown): value is HostInfo {
  return (
    isRecord(value) &&
    typeof value['pid'] === 'number' &&
    typeof value['version'] === 'string' &&
    typeof value['host'] === 'string' &&
    typeof value['port'] === 'number' &&
    typeof value['url'] === 'string'
  );
}
