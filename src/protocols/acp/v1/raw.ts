// Whatever JSON the other side wrote, kept as it came.
import * as z from 'zod';

export type Raw = null | boolean | number | string | readonly Raw[] | { readonly [key: string]: Raw };

/** Messages are parsed JSON, so nothing needs to be looked at. */
export const raw = z.custom<Raw>(() => true);
