/** Codes of protocol errors, as JSON-RPC 2.0 section 5.1 and Chromium use them. */
export const errorCodes = { methodNotFound: -32_601, serverError: -32_000 } as const;
