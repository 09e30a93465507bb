/** The directory that has the key of signed requests: where it is, and what it is. */

/** Where the directory is, below its origin (a well-known URI of the draft). */
export const directoryPath = '/.well-known/http-message-signatures-directory';

export const directoryType = 'application/http-message-signatures-directory+json';
