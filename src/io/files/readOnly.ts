// How files of a workspace are opened for reading.
import { constants } from 'node:fs';

/** A link or a pipe that takes the place of the file meanwhile is neither followed nor waited for. */
export const readOnly = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
