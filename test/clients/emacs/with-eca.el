;;; with-eca.el --- Drives `parley server' with eca-emacs  -*- lexical-binding: t -*-

;;; Commentary:

;; DRIVE_SOURCES is the folder with eca.el.  The libraries that it needs come
;; from Debian: elpa-dash, elpa-s, elpa-f, elpa-markdown-mode, elpa-compat.
;; The built-in demo model answers.

;;; Code:

(require 'drive (expand-file-name "drive.el" (file-name-directory load-file-name)))
(package-initialize)
(add-to-list 'load-path (getenv "DRIVE_SOURCES"))
(require 'eca)

(setq eca-custom-command (drive-command "server")
      eca-find-root-for-buffer-function (lambda () (getenv "DRIVE_WORKSPACE")))
(setq default-directory (file-name-as-directory (getenv "DRIVE_WORKSPACE")))

(defun with-eca-chat ()
  "The buffer of the chat."
  (eca-chat--get-last-buffer (eca-session)))

(defun with-eca-has (text)
  "Wait until the chat shows TEXT."
  (drive-until (lambda ()
                 (with-current-buffer (with-eca-chat)
                   (string-search text (buffer-substring-no-properties (point-min) (point-max)))))))

(defun with-eca-rests ()
  "Wait until the chat has ended its turn."
  (drive-until (lambda () (not (buffer-local-value 'eca-chat--chat-loading (with-eca-chat))))))

(defun with-eca-pending ()
  "Wait until the chat asks for an approval."
  (drive-until (lambda ()
                 (with-current-buffer (with-eca-chat)
                   (save-excursion
                     (goto-char (point-min))
                     (text-property-search-forward 'eca-tool-call-pending-approval-accept t t))))))

(eca)
(drive-until (lambda () (and (eca-session) (eq (eca--session-status (eca-session)) 'started))))
(drive-until (lambda () (buffer-live-p (with-eca-chat))))
(drive-until (lambda () (with-current-buffer (with-eca-chat) (eca-chat--model))))
(with-current-buffer (with-eca-chat)
  (drive-check (and (eca-chat--agent) (eca-chat--model)) "the chat has an agent and a model"))
(eca-chat-send-prompt "hello")
(with-eca-has "I am the built-in demo model")
(with-eca-rests)
(drive-check t "a prompt is answered")
(eca-chat-send-prompt "run echo made > made.txt")
(with-eca-pending)
(with-eca-has "echo made > made.txt")
(eca-chat-tool-call-accept-all)
(drive-until (lambda () (file-exists-p (drive-file "made.txt"))))
(with-eca-rests)
(drive-check t "the approved command ran")
(eca-chat-send-prompt "run echo made > denied.txt")
(with-eca-pending)
(eca-chat-tool-call-reject-next)
(with-eca-rests)
(drive-check (not (file-exists-p (drive-file "denied.txt"))) "the rejected command did not run")
(eca-chat-send-prompt "run sleep 600")
(with-eca-pending)
(with-current-buffer (with-eca-chat) (eca-chat-stop-prompt))
(with-eca-rests)
(drive-check t "the turn was stopped")
(eca-chat-send-prompt "/costs")
(with-eca-has "Total input tokens")
(drive-check t "a command of ECA is answered")
(eca-stop)
(princ (format "eca-emacs on Emacs %s: passed\n" emacs-version))

;;; with-eca.el ends here
