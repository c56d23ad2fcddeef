// The methods of AHP clients: checks the role, then lets the version that the client speaks handle the rest.
import { mayAs, roleRefusal } from '../../host/policy/roles.ts';
import type { Handler } from '../../rpc/peer.ts';
import { ahpError } from './errors.ts';
import type { PipeResumption } from './inbound/resume.ts';
import type { ServedClient } from './initialize.ts';
import { roleForNotification, roleForRequest } from './roles.ts';

export function methodHandler(client: () => ServedClient, resumption?: PipeResumption): Handler {
  return {
    request(method, params, { signal }) {
      if (resumption?.handles(method)) return resumption.request(method, params);
      const { version, role, extension } = client();
      if (method === 'initialize' || method === 'reconnect') {
        if (version) throw ahpError('invalidRequest', 'This connection has been initialized already.');
        return method === 'initialize' ? client().initialize(params) : client().reconnect(params);
      }
      if (!version) throw ahpError('invalidRequest', 'The first request must be initialize or reconnect.');
      // Extension methods check the required role themselves.
      if (method.startsWith('x-') && extension) return extension(method, params, signal);
      const needed = roleForRequest(method, params);
      if (!mayAs(role, needed)) throw ahpError('permissionDenied', roleRefusal(role, needed));
      return version.request(method, params);
    },
    notification(method, params) {
      const { version, role } = client();
      if (resumption?.isStored(method, params)) return;
      const needed = roleForNotification(method, params);
      if (mayAs(role, needed)) version?.notification(method, params);
      else if (method === 'dispatchAction') version?.refuse(params, roleRefusal(role, needed));
    },
  };
}
