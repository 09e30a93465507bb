// The rules that oxlint lacks, as one plugin.
import { lateAwait } from './late-await.js';
import { racedAwait } from './raced-await.js';
import { strangersJson } from './strangers-json.js';
import { wallClock } from './wall-clock.js';

export default {
  meta: { name: 'browserd' },
  rules: {
    'late-await': lateAwait,
    'raced-await': racedAwait,
    'strangers-json': strangersJson,
    'wall-clock': wallClock,
  },
};
