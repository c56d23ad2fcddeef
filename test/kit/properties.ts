// Settings of the laws over random logs, loaded before their files.
import fc from 'fast-check';

/**
 * A failed property is reported with its seed and path at once. To make its case smaller can take hours, in
 * which no time limit of a test helps; PARLEY_SHRINK=1 does it for the seed that was reported.
 */
fc.configureGlobal({ endOnFailure: process.env['PARLEY_SHRINK'] !== '1' });
