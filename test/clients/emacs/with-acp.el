;;; with-acp.el --- Drives `parley acp' with acp.el  -*- lexical-binding: t -*-

;;; Commentary:

;; DRIVE_SOURCES is the folder with acp.el.  The built-in demo model answers.

;;; Code:

(require 'drive (expand-file-name "drive.el" (file-name-directory load-file-name)))
(add-to-list 'load-path (getenv "DRIVE_SOURCES"))
(require 'acp)

(let* ((command (drive-command "acp"))
       (client (acp-make-client :command (car command) :command-params (cdr command)))
       (updates nil) (asked nil) (failed nil) session)
  (acp-subscribe-to-notifications
   :client client
   :on-notification (lambda (each) (push (drive-get each 'params 'update) updates)))
  (acp-subscribe-to-requests
   :client client
   :on-request (lambda (request)
                 (push (drive-get request 'params 'toolCall 'title) asked)
                 (acp-send-response
                  :client client
                  :response (acp-make-session-request-permission-response
                             :request-id (drive-get request 'id)
                             :option-id (drive-get request 'params 'options 0 'optionId)))))
  (acp-subscribe-to-errors :client client :on-error (lambda (each) (push each failed)))
  (cl-flet ((send (request)
              (let ((result nil))
                (acp-send-request :client client :request request
                                  :on-success (lambda (response) (setq result (or response t)))
                                  :on-failure (lambda (problem) (push problem failed)))
                (lambda () (drive-until (lambda () (or result failed))) result)))
            (prompt (text)
              (acp-make-session-prompt-request :session-id session
                                               :prompt `[((type . "text") (text . ,text))])))
    (funcall (send (acp-make-initialize-request :protocol-version 1
                                                :client-info `((name . "acp.el")
                                                               (version . ,acp-package-version)))))
    (setq session (drive-get (funcall (send (acp-make-session-new-request
                                             :cwd (getenv "DRIVE_WORKSPACE") :mcp-servers [])))
                             'sessionId))
    (drive-check (stringp session) "a session is made")
    (drive-check (equal (drive-get (funcall (send (prompt "run echo made > made.txt"))) 'stopReason)
                        "end_turn")
                 "the turn ends")
    (drive-check (and (= (length asked) 1) (string-search "echo made > made.txt" (car asked)))
                 "one question, with the whole command")
    (drive-check (file-exists-p (drive-file "made.txt")) "the approved command ran")
    (drive-check (> (seq-count (lambda (each) (equal (drive-get each 'sessionUpdate)
                                                     "agent_message_chunk"))
                               updates)
                    1)
                 "the answer comes in pieces")
    (let ((turn (send (prompt "run sleep 600"))))
      (drive-until (lambda () (= (length asked) 2)))
      (acp-send-notification :client client
                             :notification (acp-make-session-cancel-notification :session-id session))
      (drive-check (equal (drive-get (funcall turn) 'stopReason) "cancelled") "the turn was stopped"))
    (funcall (send (acp-make-session-load-request :session-id session
                                                  :cwd (getenv "DRIVE_WORKSPACE") :mcp-servers [])))
    (drive-check (seq-some (lambda (each) (equal (drive-get each 'sessionUpdate) "user_message_chunk"))
                           updates)
                 "the session is loaded again with its messages")
    (drive-check (null failed) "nothing failed")
    (acp-shutdown :client client)
    (princ (format "acp.el %s on Emacs %s: passed\n" acp-package-version emacs-version))))

;;; with-acp.el ends here
