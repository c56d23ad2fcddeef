// Reads the params of methods that are not stable yet.
import * as z from 'zod';
import { meta } from './lenient.ts';

export const setTitleParams = z.object({ sessionId: z.string(), title: z.string(), _meta: meta });
