// Paths begin with `/` in the module and the program. On Windows `/C:/folder` stands for `C:\\folder`.

/** How a path of the module is called on this machine. */
export const hostPath = (path, platform = globalThis.process.platform) =>
  (platform === 'win32' ? path.replace(/^\/+([A-Za-z]:)(?=\/|$)/, '$1') : path);

/** How a path of this machine is called in the module. Other text is left as it is. */
export const guestPath = (path, platform = globalThis.process.platform) =>
  (platform === 'win32' && /^[A-Za-z]:[\\/]/.test(path) ? `/${path.replaceAll('\\', '/')}` : path);
