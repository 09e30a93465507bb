// Declares what tells of live views: POST, GET of /browser/<id>/live.

import * as v from 'valibot';
import { member, named } from './members.ts';

export const liveLink = named(
  'LiveLink',
  v.object({
    liveURL: member(v.string(), 'The link for the person. It needs no token.'),
    liveURLId: member(v.string(), 'The key in the link, with which the live view is asked for and ended.'),
  }),
);

export const liveStatus = named(
  'LiveStatus',
  v.object({
    status: v.picklist(['active', 'ended']),
    reason: member(
      v.nullable(v.picklist(['done', 'failed', 'closed', 'timeout', 'page-closed'])),
      'How it ended; null while it works.',
    ),
    note: member(v.nullable(v.string()), 'What the person wrote who could not do what was asked.'),
    interactable: member(v.boolean(), 'False when people watch only.'),
    viewerCount: member(v.number(), 'People who watch now.'),
    expiresAt: member(v.nullable(v.number()), 'Epoch milliseconds at which the link ends by itself; null for never.'),
  }),
);
