/** Path and media type of the key directory (HTTP Message Signatures). */

/** Path of the directory at its origin (a well-known URI of the draft). */
export const directoryPath = '/.well-known/http-message-signatures-directory';

export const directoryType = 'application/http-message-signatures-directory+json';
