/** Serves the public key that sites use to verify signed requests (WEB_BOT_AUTH_KEY). */
import { ServiceError } from '../../../base/errors.ts';
import { directoryPath, directoryType } from '../../../browser/web-bot-auth/directory.ts';
import { directRoute } from '../pipeline/route.ts';

export const keyDirectory = directRoute('manage', `GET ${directoryPath}`, {
  summary: 'Public key for signed requests',
  description: 'The public key of WEB_BOT_AUTH_KEY as a JSON Web Key Set, signed with the private key.',
  auth: 'open',
  errors: ['not-found'],
  answers: [directoryType],
  handle({
    services: {
      network: { signer },
    },
  }) {
    if (!signer) {
      const why =
        'this server does not sign requests. Set WEB_BOT_AUTH_KEY and WEB_BOT_AUTH_DIRECTORY to have them signed.';
      throw new ServiceError('not-found', `Not Found: ${why}`);
    }
    const { body, headers } = signer.directory();
    return new Response(body, { headers });
  },
});
