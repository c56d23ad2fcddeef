@node "%~dp0parley.js" %*
