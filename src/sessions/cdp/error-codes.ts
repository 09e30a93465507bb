/** Codes of protocol errors, as JSON-RPC 2.0 section 5.1 and Chromium use them. */
export const errorCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  serverError: -32_000,
  noSession: -32_001,
} as const;
