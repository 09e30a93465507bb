// Declares the responses about live views: POST and GET of /browser/<id>/live.

import * as v from 'valibot';
import { member, namedObject } from './members.ts';

export const liveLink = namedObject('LiveLink', {
  liveURL: member(v.string(), 'The link to give to a person. It needs no token.'),
  liveURLId: member(v.string(), 'The key in the link, used to query and end the live view.'),
});

export const liveStatus = namedObject('LiveStatus', {
  status: v.picklist(['active', 'ended']),
  reason: member(
    v.nullable(v.picklist(['done', 'failed', 'closed', 'timeout', 'page-closed'])),
    'How it ended; null while it is active.',
  ),
  note: member(v.nullable(v.string()), 'Note from a person who could not complete the task.'),
  interactable: member(v.boolean(), 'False when people can only watch.'),
  viewerCount: member(v.number(), 'Number of people watching now.'),
  expiresAt: member(v.nullable(v.number()), 'Epoch milliseconds at which the link expires; null for never.'),
});
