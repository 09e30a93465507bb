// Says what a route answers: status, media type and the schema of JSON. The OpenAPI document describes answers by it,
// and the types of handlers come from it; nothing validates an answer while the server runs.

import type { GenericSchema, InferOutput } from 'valibot';

/** One of the answers of a route that are no error, or no common one. */
interface AnswerShape {
  /** 200 when left out. */
  readonly status?: number;
  /** Media type; undefined for an answer without a body. */
  readonly type: string | undefined;
  /** Of a JSON body. */
  readonly schema?: GenericSchema;
  /** True for a type that Accept may name, though the answer never has it. */
  readonly onlyAccepted?: boolean;
}

/** A shape, or the media type alone of a 200. */
export type RouteAnswer = AnswerShape | string;

/** An answer in JSON. @param status 200 when left out */
export function json<const Schema extends GenericSchema>(schema: Schema, status = 200) {
  return { status, type: 'application/json', schema } as const;
}

/** The answer without a body. */
export const noContent = { status: 204, type: undefined } as const;

/** An answer with its default filled in. */
export function shapeOf(answer: RouteAnswer): AnswerShape & { status: number } {
  return typeof answer === 'string' ? { status: 200, type: answer } : { ...answer, status: answer.status ?? 200 };
}

/** The media types that Accept may name. */
export function typesOf(answers: readonly RouteAnswer[]): string[] {
  return answers.flatMap((answer) => shapeOf(answer).type ?? []);
}

/** The value of each JSON answer among these. */
export type JsonOf<Answers extends readonly RouteAnswer[]> = {
  [Index in keyof Answers]: Answers[Index] extends { schema: infer Schema extends GenericSchema }
    ? InferOutput<Schema>
    : never;
}[number];
