// How models are spoken to in conversations of ECA clients, as their users know it. Data only.
import type { Dialect } from '../agents/native/dialect.ts';

export const ecaDialect: Dialect = { persona: 'ECA', prefix: 'eca__', ending: '\n' };
