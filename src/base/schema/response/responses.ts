// Describes the responses of routes: status, media type and JSON schema. The OpenAPI document and the types of handlers
// are derived from this; nothing validates responses at run time.

import type { GenericSchema, InferOutput } from 'valibot';

/** One successful or route-specific response of a route. */
interface ResponseShape {
  /** Default 200. */
  readonly status?: number;
  /** Media type; undefined for a response without a body. */
  readonly type: string | undefined;
  /** Schema of a JSON body. */
  readonly schema?: GenericSchema;
  /** True for a type that Accept may list although no response ever has it. */
  readonly onlyAccepted?: boolean;
}

/** A shape, or only the media type of a 200 response. */
export type RouteResponse = ResponseShape | string;

/** A JSON response. @param status default 200 */
export function json<const Schema extends GenericSchema>(schema: Schema, status = 200) {
  return { status, type: 'application/json', schema } as const;
}

/** A response without a body. */
export const noContent = { status: 204, type: undefined } as const;

/** A response with its defaults filled in. */
export function shapeOf(answer: RouteResponse): ResponseShape & { status: number } {
  return typeof answer === 'string' ? { status: 200, type: answer } : { ...answer, status: answer.status ?? 200 };
}

/** The media types that Accept may list. */
export function typesOf(answers: readonly RouteResponse[]): string[] {
  return answers.flatMap((answer) => shapeOf(answer).type ?? []);
}

/** The values of the JSON responses among these. */
export type JsonOf<Answers extends readonly RouteResponse[]> = {
  [Index in keyof Answers]: Answers[Index] extends { schema: infer Schema extends GenericSchema }
    ? InferOutput<Schema>
    : never;
}[number];
