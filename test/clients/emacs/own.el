;;; own.el --- A small client of ECA and ACP in Emacs  -*- lexical-binding: t -*-

;;; Commentary:

;; Drives `parley server' and `parley acp' from a real Emacs process: a prompt,
;; its stream, an approval, a stop.  The built-in demo model answers.

;;; Code:

(require 'drive (expand-file-name "drive.el" (file-name-directory load-file-name)))

(defun own-eca ()
  "Drive `parley server'."
  (let ((eca (drive-start (drive-command "server") (getenv "DRIVE_WORKSPACE") t)))
    (cl-flet* ((contents (type)
                 (seq-filter (lambda (each)
                               (equal (drive-get each 'params 'content 'type) type))
                             (drive-received eca)))
               (finished (count)
                 (drive-until
                  (lambda ()
                    (= count (seq-count (lambda (each)
                                          (equal (drive-get each 'params 'content 'state)
                                                 "finished"))
                                        (contents "progress"))))))
               (approve (command)
                 (let ((call (drive-wait eca
                                         (lambda (each)
                                           (and (equal (drive-get each 'params 'content 'type)
                                                       "toolCallRun")
                                                (equal (drive-get each 'params 'content
                                                                  'arguments 'command)
                                                       command))))))
                   (drive-notify eca "chat/toolCallApprove"
                                 `((chatId . "emacs")
                                   (toolCallId . ,(drive-get call 'params 'content 'id)))))))
      (drive-request eca "initialize"
                     `((processId . ,(emacs-pid))
                       (clientInfo . ((name . "emacs") (version . ,emacs-version)))
                       (capabilities . ((codeAssistant . ((chat . t)))))
                       (workspaceFolders . [((name . "work")
                                             (uri . ,(concat "file://" (getenv "DRIVE_WORKSPACE"))))])))
      (drive-notify eca "initialized" (make-hash-table))
      (drive-request eca "chat/prompt" '((chatId . "emacs") (message . "hello")))
      (finished 1)
      (drive-check (> (length (seq-filter (lambda (each) (equal (drive-get each 'params 'role)
                                                                "assistant"))
                                          (contents "text")))
                      3)
                   "ECA: the answer comes in pieces")
      (drive-request eca "chat/prompt" '((chatId . "emacs") (message . "run echo made > made.txt")))
      (approve "echo made > made.txt")
      (finished 2)
      (drive-check (file-exists-p (drive-file "made.txt")) "ECA: the approved command ran")
      (drive-request eca "chat/prompt" '((chatId . "emacs") (message . "run sleep 600")))
      (approve "sleep 600")
      (drive-until (lambda () (contents "toolCallRunning")))
      (drive-notify eca "chat/promptStop" '((chatId . "emacs")))
      (finished 3)
      (drive-check t "ECA: the running command was stopped")
      (drive-request eca "shutdown" (make-hash-table))
      (drive-notify eca "exit" (make-hash-table))
      (drive-end eca))))

(defun own-acp ()
  "Drive `parley acp'."
  (let ((acp (drive-start (drive-command "acp") (getenv "DRIVE_WORKSPACE") nil))
        asked session)
    (setf (drive-answer acp)
          (lambda (method params)
            (when (equal method "session/request_permission")
              (push (drive-get params 'toolCall 'title) asked)
              `((outcome . ((outcome . "selected")
                            (optionId . ,(drive-get params 'options 0 'optionId))))))))
    (cl-flet ((prompt (text)
                (drive-begin acp "session/prompt"
                             `((sessionId . ,session)
                               (prompt . [((type . "text") (text . ,text))]))))
              (updates (kind)
                (seq-filter (lambda (each)
                              (equal (drive-get each 'params 'update 'sessionUpdate) kind))
                            (drive-received acp))))
      (drive-request acp "initialize" `((protocolVersion . 1)
                                        (clientInfo . ((name . "emacs") (version . ,emacs-version)))
                                        (clientCapabilities . ,(make-hash-table))))
      (setq session (drive-get (drive-request acp "session/new"
                                              `((cwd . ,(getenv "DRIVE_WORKSPACE")) (mcpServers . [])))
                               'sessionId))
      (let ((end (drive-result acp (prompt "run echo made > made-by-acp.txt"))))
        (drive-check (equal (drive-get end 'stopReason) "end_turn") "ACP: the turn ends"))
      (drive-check (seq-some (lambda (title) (string-search "echo made > made-by-acp.txt" title)) asked)
                   "ACP: the question has the whole command")
      (drive-check (file-exists-p (drive-file "made-by-acp.txt")) "ACP: the approved command ran")
      (drive-check (> (length (updates "agent_message_chunk")) 1) "ACP: the answer comes in pieces")
      (let ((turn (prompt "run sleep 600")))
        (drive-until (lambda () (= (length asked) 2)))
        (drive-notify acp "session/cancel" `((sessionId . ,session)))
        (drive-check (equal (drive-get (drive-result acp turn) 'stopReason) "cancelled")
                     "ACP: the running command was stopped"))
      (process-send-eof (drive-process acp))
      (drive-end acp))))

(own-eca)
(own-acp)

;;; own.el ends here
