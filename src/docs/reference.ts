/** What generated pages hold, as plain values for the renderer. */
import type { RouteFact } from './model.ts';

export interface OpenApiContent {
  kind: 'open-api';
  routes: readonly RouteFact[];
}

export type ReferenceContent = OpenApiContent;
